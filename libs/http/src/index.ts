export { type Checks } from './health.ts'
export { describeProblem, type Problem } from './problems.ts'
export { readJson } from './read-json.ts'
export { type HttpServer, type ServeOptions, serve } from './serve.ts'
