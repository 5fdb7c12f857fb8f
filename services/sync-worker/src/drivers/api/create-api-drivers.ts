import type { CreateMailApi } from '@posthorn/backends/mail-api'
import type { Provider } from '@posthorn/backends/provider-limits'
import { Semaphore } from '@posthorn/flow'
import type { CreateDriver } from '../account-driver.ts'
import { createCredentialsClient } from '../credentials.ts'
import type { DriverParts } from '../driver-parts.ts'
import { BounceCache } from '../messages/bounce-cache.ts'
import { ApiDriver, type ApiDriverDeps } from './api-driver.ts'
import { FolderCache } from './commands/folder-cache.ts'
import { maxUploadBytes } from './commands/upload-message.ts'
import { createPassLimits } from './follow-feeds.ts'

/** Clients of mail APIs by provider. Accounts of providers without a client get no session. */
export type MailApis = Partial<Record<Provider, CreateMailApi>>

/** Parts about notifications of providers. */
export type WatchParts = Pick<ApiDriverDeps, 'watches' | 'destinations'>

/**
 * Creates the drivers of the providers that have a client, with the parts that the drivers share.
 */
export function createApiDrivers(
  parts: DriverParts,
  { mailApis, ...watchParts }: WatchParts & { mailApis: MailApis },
): [Provider, CreateDriver][] {
  const { commit, config, reader, summaries, transcripts, worker } = parts
  const { bus, db, settings } = commit
  const shared: Omit<ApiDriverDeps, 'provider' | 'createMailApi'> = {
    ...watchParts,
    commit,
    config,
    reader,
    summaries,
    transcripts,
    credentials: createCredentialsClient(bus, worker),
    passes: createPassLimits(),
    commands: {
      db,
      settings,
      reader,
      folders: new FolderCache(),
      bounces: new BounceCache(),
      uploadMemory: new Semaphore(maxUploadBytes),
    },
  }
  return Object.entries(mailApis).map(([name, createMailApi]) => {
    const provider = name as Provider
    const deps = { ...shared, provider, createMailApi }
    return [provider, (context) => new ApiDriver(deps, context)]
  })
}
