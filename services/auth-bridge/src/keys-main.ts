import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { ConfigError, oneOf } from '@posthorn/config'
import { messageOf } from '@posthorn/errors'
import { runJob } from '@posthorn/flow'
import { keyPairFromSecret } from '@posthorn/secrets'
import { formatKeys, keyFormats } from './keys/format-keys.ts'
import { readKeysConfig } from './secrets-config.ts'

// Prints a new SVC_SECRET and its public key, or the keys of the variable SVC_SECRET if it is set.
// Needs no server:
//   node src/keys-main.ts                    manifests of the two Secrets of Kubernetes
//   node src/keys-main.ts --format env       lines of variables; also `json`
//   node src/keys-main.ts --public           only the public key, of SVC_SECRET
await runJob({
  work: () => Promise.resolve(work()),
  describeError: (error) =>
    error instanceof ConfigError ? error.message : `keys not printed: ${messageOf(error)}`,
})

function work(): number {
  const { values } = parseArgs({
    options: {
      format: { type: 'string', default: 'secret' },
      namespace: { type: 'string' },
      public: { type: 'boolean', default: false },
    },
  })
  const format = oneOf({ '--format': values.format }, '--format', {
    values: keyFormats,
    fallback: 'secret',
  })
  const configured = readKeysConfig(process.env).secret?.reveal()
  // Requires SVC_SECRET with `--public`. The command would otherwise print the public key of a new
  // secret that is lost.
  if (values.public && configured === undefined)
    throw new ConfigError('SVC_SECRET', 'must be set with --public')
  const secret = configured ?? randomBytes(32).toString('hex')
  const keys = {
    secret: values.public ? undefined : secret,
    publicKey: keyPairFromSecret(secret).publicKey.text,
  }
  process.stdout.write(formatKeys(keys, { format, namespace: values.namespace }))
  return 0
}
