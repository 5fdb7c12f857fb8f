export { abortable, abortableItems } from './abortable.ts'
export { backoff, type Backoff, fixedBackoff } from './backoff.ts'
export { Batcher } from './batcher.ts'
export { CircuitBreaker } from './circuit-breaker.ts'
export { type Clock, monotonicClock } from './clock.ts'
export { discard } from './discard.ts'
export { FairQueue, type RunningItem } from './fair-queue.ts'
export { holdFailure } from './hold-failure.ts'
export { KeyedMutex } from './keyed-mutex.ts'
export { KeyedRateLimiter } from './keyed-rate-limiter.ts'
export { KeyedSemaphore } from './keyed-semaphore.ts'
export { Latch } from './latch.ts'
export { Mutex } from './mutex.ts'
export { type PeriodicTask, runPeriodically } from './periodic-task.ts'
export { QueueFullError } from './queue-full-error.ts'
export type { Loan } from './quota-key.ts'
export {
  type KeyQuota,
  QuotaLimiter,
  type QuotaLimiterOptions,
  type QuotaRequest,
} from './quota-limiter.ts'
export { RateLimitedError } from './rate-limited-error.ts'
export { RateLimiter } from './rate-limiter.ts'
export { retryUntil } from './retry-until.ts'
export { type Job, jobInterrupted, runJob } from './run-job.ts'
export { type Permit, Semaphore } from './semaphore.ts'
export { settleWithin, withTimeout } from './settle-within.ts'
export { SingleFlight } from './single-flight.ts'
export { sleep } from './sleep.ts'
export { TaskGroup } from './task-group.ts'
export { TtlCache } from './ttl-cache.ts'
export { type BucketStart, type QuotaRate, UnitBucket } from './unit-bucket.ts'
export { serveRequests } from './workers/serve-requests.ts'
export { WorkerError, type WorkerFailure } from './workers/worker-error.ts'
export {
  WorkerPool,
  type WorkerCallOptions,
  type WorkerPoolOptions,
} from './workers/worker-pool.ts'
