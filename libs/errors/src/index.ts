export {
  AppError,
  type ErrorExtras,
  type ErrorKind,
  isPermanent,
  messageOf,
  toAppError,
} from './app-error.ts'
export { type ErrorCode, errorCodes, isApplicationError } from './codes.ts'
export { UnavailableError } from './unavailable-error.ts'
export { errorFromWire, errorToWire, type WireError } from './wire.ts'
