import type { Entry } from '@posthorn/emailengine'
import type { ImportParts } from './kind-imports.ts'
import type { KindImport } from './import-kind.ts'

/** Prefix of EmailEngine's header names. */
const headerPrefix = 'X-EE-'

/**
 * Import of the secret of EmailEngine: as an older key of links, and, together with the header
 * names of EmailEngine, as the key of webhooks. The setting of the header names shows that an
 * earlier import has changed both settings: a repeated import does not change the secret again.
 */
export async function linkImport({ posthorn, store, dryRun }: ImportParts) {
  const { webhooksHeaderAlias } = await posthorn.getSettings({ webhooksHeaderAlias: true })
  const isChanged = Boolean(webhooksHeaderAlias)
  return {
    kind: 'links',
    entries: entryOf(() => store.serviceSecret()),
    async write([entry]) {
      if (!entry || dryRun) return isChanged ? { unchanged: 1 } : {}
      const secret = entry.input.reveal()
      const { imported } = await posthorn.importLinkKey({ body: { secret } })
      if (isChanged) return imported ? {} : { unchanged: 1 }
      await posthorn.updateSettings({
        body: { serviceSecret: secret, webhooksHeaderAlias: headerPrefix },
      })
      return {}
    },
  } satisfies KindImport<string>
}

async function* entryOf(read: () => Promise<Entry<string> | undefined>) {
  const entry = await read()
  if (entry) yield entry
}
