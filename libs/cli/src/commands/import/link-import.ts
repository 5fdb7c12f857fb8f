import type { Entry } from '@posthorn/emailengine'
import type { ImportParts } from './kind-imports.ts'
import type { KindImport } from './import-kind.ts'

/** Prefix of EmailEngine's header names. */
const headerPrefix = 'X-EE-'

/**
 * Import of EmailEngine's secret: as the key of webhooks, together with the header names of
 * EmailEngine, and as an older key of links. The key of links is stored last and shows that an
 * earlier import is complete: a repeated import does not change the settings again.
 */
export function linkImport({ posthorn, signal, store, dryRun }: ImportParts) {
  return {
    kind: 'links',
    entries: entryOf(() => store.serviceSecret()),
    async write([entry]) {
      if (!entry) return {}
      const secret = entry.input.reveal()
      const plan = { secret, dryRun: true }
      const { imported: isNew } = await posthorn.importLinkKey({ body: plan }, { signal })
      if (!isNew) return { unchanged: 1 }
      if (dryRun) return {}
      const body = { serviceSecret: secret, webhooksHeaderAlias: headerPrefix }
      await posthorn.updateSettings({ body }, { signal })
      await posthorn.importLinkKey({ body: { secret } }, { signal })
      return {}
    },
  } satisfies KindImport<string>
}

async function* entryOf(read: () => Promise<Entry<string> | undefined>) {
  const entry = await read()
  if (entry) yield entry
}
