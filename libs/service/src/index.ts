export {
  bootstrap,
  type BootstrapOptions,
  defaultChecks,
  type ServiceContext,
} from './bootstrap.ts'
export { type Certificate, readCertificate } from './certificate.ts'
export { type QueuePause, type QueuePauseOptions, watchQueuePause } from './queue-pause.ts'
export { run } from './run.ts'
export { readServiceConfig, type ServiceConfig } from './service-config.ts'
export { waitForSchema } from './wait-for-schema.ts'
