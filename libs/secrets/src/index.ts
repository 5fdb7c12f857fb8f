export {
  type HeaderOwner,
  type HeaderPlace,
  isHeaderSealed,
  keyIdOfHeader,
  openHeader,
  resealHeader,
  sealHeaders,
} from './headers.ts'
export { keyPairFromSecret, type PrivateKey, type PublicKey, readPublicKey } from './keys.ts'
export { isLoginSealed, keyIdOfLogin, openLogin, resealLogin, sealLogin } from './logins.ts'
export {
  createOpener,
  createResealer,
  createSealer,
  keyIdOf,
  type Opener,
  type Resealer,
  type Sealer,
} from './seal.ts'
export { hashToken, isTokenShaped, newToken, sameSecret } from './tokens.ts'
