import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;

/** A server that echoes, and three clients. */
public class Netty {
    static final int BYTES = 400;

    static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    static final class Count extends SimpleChannelInboundHandler<ByteBuf> {
        private final CountDownLatch all;
        private int seen;

        Count(CountDownLatch all) {
            this.all = all;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            seen += message.readableBytes();
            if (seen == BYTES) {
                all.countDown();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        EventLoopGroup group = new NioEventLoopGroup(3);
        CountDownLatch all = new CountDownLatch(3);
        Channel server = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class)
            .childHandler(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Echo());
                }
            }).bind(new InetSocketAddress("127.0.0.1", 0)).sync().channel();
        Work.inThreads(3, number -> {
            Channel client = new Bootstrap().group(group).channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Count(all));
                    }
                }).connect(server.localAddress()).sync().channel();
            for (int i = 0; i < BYTES / 10; i++) {
                client.writeAndFlush(Unpooled.copiedBuffer(new byte[10]));
            }
        });
        all.await();
        server.close().sync();
        group.shutdownGracefully(0, 5, java.util.concurrent.TimeUnit.SECONDS).sync();
        System.out.println("all came back");
    }
}
