#include <stdio.h>
struct point { int x; int y; };
int main(int argc, char **argv) {
    printf("hello\n");
    return 0;
}
