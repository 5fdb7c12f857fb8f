export {
  assertAllowed,
  type EgressPolicy,
  egressPolicies,
  type Lookup,
  resolveAllowed,
  type ResolvedAddress,
  type ResolveOptions,
} from './egress.ts'
export {
  type CallRequest,
  type CallResult,
  createHttpCaller,
  type HttpCaller,
  type HttpCallerOptions,
} from './http.ts'
export { type Outcome, outcomeOfStatus } from './outcome.ts'
export { redactUrl, splitCredentials, type SplitUrl } from './url.ts'
