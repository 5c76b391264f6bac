#include <stdio.h>
static int lock = 0;
int acquire() { while (lock); lock = 1; return 0; }
int main(int argc, char **argv) { acquire(); return 0; }
