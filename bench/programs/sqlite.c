/* Three threads with connections of their own write to and read from one database: sqlite.c FILE. */
#include "sqlite3.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const char *file;

static void run(sqlite3 *db, const char *statement)
{
    char *error = NULL;

    if (sqlite3_exec(db, statement, NULL, NULL, &error) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", statement, error);
        exit(1);
    }
}

static sqlite3 *open_database(void)
{
    sqlite3 *db;

    if (sqlite3_open(file, &db) != SQLITE_OK)
        exit(1);
    sqlite3_busy_timeout(db, 60000);
    return db;
}

static void *work(void *argument)
{
    sqlite3 *db = open_database();
    char statement[128];

    for (int i = 0; i < 4; i++) {
        snprintf(statement, sizeof statement, "INSERT INTO t VALUES (%d, 'row %d')", *(int *)argument * 100 + i,
                 i);
        run(db, statement);
        run(db, "SELECT count(*), max(number) FROM t");
    }
    sqlite3_close(db);
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t threads[3];
    int numbers[3] = {1, 2, 3};
    sqlite3 *db;

    if (count != 2)
        return 1;
    file = arguments[1];
    remove(file);
    db = open_database();
    run(db, "CREATE TABLE t (number INTEGER PRIMARY KEY, text)");
    sqlite3_close(db);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
