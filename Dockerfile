# An image with Heddle's Debian packages: heddle, the compiler, gdb, and what recording Java programs and plain binaries takes.
#
#     docker build -t heddle .
#     docker run --rm -v "$PWD:/work" heddle cc -g -pthread queue.c -o queue
#     docker run --rm -v "$PWD:/work" heddle run -- ./queue
FROM debian:bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git
WORKDIR /heddle
COPY tools/bootstrap tools/
RUN tools/bootstrap build plugin deb
COPY . .
RUN git config --global --add safe.directory /heddle && tools/make-deb /packages && rm -f /packages/*-dbgsym_*.deb

FROM debian:bookworm-slim
COPY --from=build /packages/*.deb /packages/
RUN apt-get update && \
    apt-get install -y --no-install-recommends /packages/*.deb gcc g++ libc6-dev make gdb default-jre-headless && \
    rm -rf /packages /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["heddle"]
CMD ["--help"]
