import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toManifest } from './kustomize.ts'
import { type StoredKeys, secretsOf } from './rules/stored-data.ts'
import { parseYaml } from './yaml.ts'

/**
 * Reads from the documentation the Kubernetes Secrets that the operators of a Posthorn installation
 * create: the table "Secrets" of `k8s/README.md`. Adds the keys in the component
 * `external-secrets`.
 */
export function readDeclaredSecrets(folder: string): StoredKeys {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  const [, section = ''] = readme.split(/^## Secrets$/m)
  const [table = ''] = section.split(/^## /m)
  const rows = [...table.matchAll(/^\| `([\w-]+)` \| (.*) \|$/gm)].map(
    ([, name = '', keys = '']) => [name, namesIn(keys)] as const,
  )
  return new Map([...rows, ...externalSecrets(folder)])
}

/**
 * Keys of a Secret in a table row of `k8s/README.md`. Undefined if the row says "per service",
 * because such keys are not listed.
 */
function namesIn(text: string): ReadonlySet<string> | undefined {
  const keys = [...text.matchAll(/`([\w.-]+)`/g)].map(([, key = '']) => key)
  return text.includes('per service') ? undefined : new Set(keys)
}

function externalSecrets(folder: string): StoredKeys {
  const file = join(folder, 'components/external-secrets/external-secrets.yaml')
  if (!existsSync(file)) return new Map()
  const manifests = parseYaml(readFileSync(file, 'utf8')).map(({ content }) =>
    toManifest(content, folder),
  )
  return secretsOf({ name: 'external-secrets', manifests })
}
