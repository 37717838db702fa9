/* The list that the first of two passes over a Java program leaves for the second: what is not recorded there, but checked.
 *
 * A text. Words are separated by spaces, which none of them has; names have slashes, as in class files:
 *
 *     field OWNER NAME DESCRIPTOR q|c|f   a field as instructions name it, and how it is treated (enum light_field)
 *     arrays N                            so many arrays were touched before a second thread started, …
 *     shared N                            … and threads share elements of the one of this number
 *     parts N                             … or only the one of this number as a whole
 *     site CLASS METHOD DESCRIPTOR PLACE  threads share elements of arrays that this instruction touches first
 *     divided CLASS METHOD DESCRIPTOR PLACE  … or only these arrays as a whole
 *     plain CLASS METHOD DESCRIPTOR PLACE  this instruction touches none but arrays that are not recorded, …
 *     pieces CLASS METHOD DESCRIPTOR PLACE  … of which threads share some as a whole
 *     apart                               threads that meet at barriers are not ordered by that (Meetings.java)
 */
#pragma once

/* The list in the folder of a recording. */
#define JAVA_LIGHT "light"

/* How an array is treated. */
enum light_array {
    LIGHT_WHOLE,   /* one thread at a time touches it, or all read it: it has one mark */
    LIGHT_PARTS,   /* the same is true of each element */
    LIGHT_RECORDED /* elements are recorded */
};

/* How many fields of an object and elements of an array are in each other's way is found out by marks (Light.java). */
enum light_field {
    LIGHT_NONE,          /* recorded */
    LIGHT_QUIET = 'q',   /* reads are left alone; that it is written while there are several threads is told */
    LIGHT_CHECKED = 'c', /* one thread at a time touches these fields of an object, or all read them */
    LIGHT_FINAL = 'f',   /* final: nobody needs to know */
};
