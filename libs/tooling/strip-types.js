// Jest transform: the same type stripping that Node applies at run time.
import { createHash } from 'node:crypto'
import { stripTypeScriptTypes } from 'node:module'

export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
  getCacheKey: (source, file) =>
    createHash('sha1').update(`${process.version}\0${file}\0${source}`).digest('hex'),
}
