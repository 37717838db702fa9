// A small work load for leveldb: two threads put, get and scan while the table is compacted behind them.
#include "leveldb/db.h"

#include <cstdio>
#include <string>
#include <thread>

static leveldb::DB *db;

static void work(int number)
{
    std::string value;

    for (int i = 0; i < 150; i++) {
        std::string key = "key" + std::to_string(i * 7 % 50) + "/" + std::to_string(number);
        db->Put(leveldb::WriteOptions(), key, std::string(200, static_cast<char>('a' + i % 26)));
        db->Get(leveldb::ReadOptions(), key, &value);
    }
}

int main(int, char **words)
{
    leveldb::Options options;

    options.create_if_missing = true;
    options.write_buffer_size = 1 << 16;
    leveldb::DestroyDB(words[1], options);
    if (!leveldb::DB::Open(options, words[1], &db).ok())
        return 1;
    std::thread one(work, 1), other(work, 2);
    one.join();
    other.join();
    db->CompactRange(nullptr, nullptr);
    delete db;
    std::puts("done");
    return 0;
}
