export { type Checks, type HttpServer, type ServeOptions, serve } from './serve.ts'
