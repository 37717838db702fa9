/* Where temporary files go. */
#pragma once

/* The folder that TMPDIR names, else /tmp. */
const char *temporary_folder(void);
