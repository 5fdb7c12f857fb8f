import { serveRequests } from '../src/index.ts'

/** Request of the test suite of `WorkerPool`, by the request's effect on the worker. */
export type TestRequest =
  | { kind: 'echo'; value: unknown }
  | { kind: 'size'; bytes: Uint8Array }
  | { kind: 'startData' | keyof typeof effects }

const kept: unknown[] = []

const effects = {
  pid: () => process.pid,
  environment: () => ({ env: { ...process.env }, execArgv: process.execArgv }),
  throw() {
    throw new Error('no')
  },
  exit: () => process.exit(),
  wait: () => new Promise(() => setInterval(() => undefined, 1_000)),
  loop() {
    for (;;);
  },
  heap() {
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => ({ index })))
  },
}

await serveRequests((startData) => (request: TestRequest) => respond(request, startData), {
  sliceMs: 10,
  transferOf: (response) => (response instanceof ArrayBuffer ? [response] : []),
})

function respond(request: TestRequest, startData: unknown): unknown {
  if (request.kind === 'echo') return request.value
  if (request.kind === 'size') return request.bytes.length
  return request.kind === 'startData' ? startData : effects[request.kind]()
}
