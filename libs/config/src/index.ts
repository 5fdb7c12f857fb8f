export {
  boolean,
  byteSize,
  duration,
  type Env,
  integer,
  json,
  minSecretLength,
  oneOf,
  optional,
  required,
  secret,
  url,
} from './read.ts'
export { addressRanges, list } from './lists.ts'
export { ConfigError } from './config-error.ts'
export { describeConfig } from './describe.ts'
export { Secret } from './secret.ts'
