export {
  chunkKeySealContext,
  chunkOverheadBytes,
  type ChunkPosition,
  newChunkKey,
  encryptChunk,
  decryptChunk,
} from './chunks.ts'
export {
  type HeaderOwner,
  type HeaderSealContext,
  isHeaderSealed,
  keyIdOfHeader,
  unsealHeader,
  resealHeader,
  sealHeaders,
} from './headers.ts'
export { keyPairFromSecret, type PublicKey, readPublicKey } from './keys.ts'
export { isLoginSealed, keyIdOfLogin, unsealLogin, resealLogin, sealLogin } from './logins.ts'
export {
  type Binding,
  createUnsealer,
  createResealer,
  createSealer,
  isBound,
  keyIdOf,
  type Unsealer,
  type Resealer,
  type Sealer,
} from './seal.ts'
export { hashToken, newToken, sameSecret, type TokenIds, tokenIds } from './tokens.ts'
