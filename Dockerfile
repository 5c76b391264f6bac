# The image for `docker run` and apps/deploy/kubernetes.yaml: the tool with all features, and Z3 beside it.
#
#   docker build -t impasse --build-arg IMPASSE_COMMIT="$(git rev-parse HEAD)" .
#   docker run --rm -v "$PWD:/model" impasse check /model/model.rwb
FROM rust:1.88-slim-bookworm AS build
WORKDIR /build
COPY . .
ARG IMPASSE_COMMIT
RUN cargo build --profile dist --locked --bin impasse

FROM python:3.13-slim-bookworm AS z3
COPY dev/tools/z3.txt .
RUN pip install --no-deps --require-hashes --only-binary :all: --target /z3 -r z3.txt

FROM debian:bookworm-slim
COPY --from=build /build/target/dist/impasse /usr/local/bin/
COPY --from=z3 /z3/z3/lib/libz3.so* /usr/local/lib/
# `nobody`, by its number: Kubernetes checks that it is not root.
USER 65534
ENTRYPOINT ["impasse"]
