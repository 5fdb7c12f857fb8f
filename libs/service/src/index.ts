export { run } from './run.ts'
export { everyFew, type Loop } from './loop.ts'
export { type ServiceConfig, readServiceConfig } from './service-config.ts'
export { waitForSchema } from './wait-for-schema.ts'
