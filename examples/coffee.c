/* A coffee machine as a reactive program. Inputs: A = coin, B = coffee, C = clean. Outputs: X = cup, Y = credit, Z = cleaned.
   It forgets to count cups when it is cleaned with credit inside: that is its error. */
#include <stdio.h>
#include <assert.h>

int inputs[] = {1, 2, 3};

int credit = 0;
int cups = 0;
int dirt = 0;

void errorCheck() {
    if (cups == 3 && dirt < 3) {
        error_1: assert(0);
    }
    if (credit > 2) {
        error_2: assert(0);
    }
}

void calculate_output(int input) {
    errorCheck();
    if (input == 1 && credit < 2) {
        credit = credit + 1;
        printf("%d\n", 25);
        fflush(stdout);
    } else if (input == 2 && credit > 0 && cups < 3) {
        credit = credit - 1;
        cups = cups + 1;
        dirt = dirt + 1;
        printf("%d\n", 24);
    } else if (input == 3 && credit == 0) {
        cups = 0;
        dirt = 0;
        printf("%d\n", 26);
    } else if (input == 3) {
        dirt = 0;
        printf("%d\n", 26);
    } else {
        fprintf(stderr, "Invalid input: %d\n", input);
    }
}

int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        calculate_output(input);
    }
}
