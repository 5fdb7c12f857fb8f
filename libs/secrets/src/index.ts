export { keyPairFromSecret, type PrivateKey, type PublicKey, readPublicKey } from './keys.ts'
export { createOpener, createSealer, type Opener, type Sealer } from './seal.ts'
export { hashToken, isTokenShaped, newToken, sameSecret } from './tokens.ts'
