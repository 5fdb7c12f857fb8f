export {
  bootstrap,
  type Bootstrapped,
  busCheck,
  defaultChecks,
  type ServiceContext,
} from './bootstrap.ts'
export { type Certificate, readCertificate } from './certificate.ts'
export { drainDelay } from './drain-delay.ts'
export { readMailPorts } from './mail-ports-config.ts'
export { openPools, type PoolDeps } from './open-pools.ts'
export { watchQueuePause } from './queue-pause.ts'
export { type App, run } from './run.ts'
export { readServiceConfig, type ServiceConfig } from './service-config.ts'
export { waitForSchema } from './wait-for-schema.ts'
