int inputs[] = {1, 2};
int total = 0;
void calculate_output(int input) {
    int i = 0;
    while (i < 3) {
        total = total + 1;
        i = i + 1;
    }
    printf("%d\n", total);
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        calculate_output(input);
    }
}
