int inputs[] = {1, 2};
int x = 0
int y = 1;
void f(int input) {
    x = z;
    y = 2;
}
void g(int input) {
    if (x == 1 {
        y = 3;
    }
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        f(input);
        h(input);
    }
}
