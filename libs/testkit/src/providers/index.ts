export type {
  ApiDescription,
  ApiOperation,
  QueryParameter,
} from './descriptions/api-description.ts'
export * as providerFaults from './faults.ts'
export {
  type AlteredResponse,
  DeliveryGate,
  type FaultAction,
  type ProviderFault,
} from './faults.ts'
export {
  ProviderFake,
  type ProviderFakeOptions,
  type ProviderHandler,
  startProviderFake,
  type Violation,
} from './provider-fake.ts'
export { type FaultPlan, RandomFaults } from './random-faults.ts'
export type { LoggedRequest, ProviderRequest, ProviderResponse } from './requests.ts'
export {
  type BreakOptions,
  breakResponse,
  type BrokenResponse,
  contentFaults,
  formFaults,
  type ResponseFaultKind,
} from './response-faults.ts'
export { UnitQuota } from './unit-quota.ts'
export { ApiValidator, readDescription, type SentResponse } from './validator.ts'
export { VirtualClock } from './virtual-clock.ts'
