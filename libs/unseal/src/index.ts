export { createHeaderUnsealer, type UnsealHeader } from './unseal-header.ts'
export { createLoginUnsealer, type UnsealLogin } from './unseal-login.ts'
