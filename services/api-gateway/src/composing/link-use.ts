import { fieldError, validationError, type Submission } from '@posthorn/contracts'
import type { SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type LinkKeys, listHeaders, type ListLinks, trackHtml } from '@posthorn/links'
import type { ResolvedSubmission } from './resolve-submission.ts'

/** The links to us that go into a message: what is clicked and opened, and the way out of a list. */
export interface LinkUse {
  /** Where links lead; null where that is not known. */
  serviceUrl: string | null
  track(html: string, messageId: string): string
  /** Undefined where the message is for no list. */
  list(recipient: string, messageId: string): ListLinks | undefined
}

interface Deps {
  settings: SettingsCache
  links: LinkKeys
}

/**
 * How links are made for a submission. The key is fetched only where there are links to sign.
 *
 * @throws AppError `invalid` or `MissingServiceURLSetup` where links are wanted and nobody knows where they should lead
 */
export async function linkUseOf(
  { settings, links }: Deps,
  gathered: ResolvedSubmission,
): Promise<LinkUse> {
  const { account, submission } = gathered
  const { serviceUrl, ...instance } = await settings.get()
  const baseUrl = submission.baseUrl ?? serviceUrl
  const { listId } = submission
  const { opens, clicks } = trackingOf(submission, instance)
  const tracks = mayHaveHtml(gathered) && (opens || clicks)
  if (!tracks && listId === undefined) return { ...noLinks, serviceUrl: baseUrl ?? null }
  if (baseUrl === undefined) throw nowhere(submission)
  const link = { baseUrl, key: await links.current(), account }
  return {
    serviceUrl: baseUrl,
    track: (html, messageId) =>
      tracks ? trackHtml(html, { ...link, messageId, opens, clicks }) : html,
    list: (recipient, messageId) =>
      listId === undefined ? undefined : listHeaders({ ...link, listId, recipient, messageId }),
  }
}

const noLinks = { track: (html: string) => html, list: () => undefined }

function trackingOf(
  { trackOpens, trackClicks, trackingEnabled, dryRun, raw }: Submission,
  instance: { trackOpens?: boolean; trackClicks?: boolean },
) {
  if (dryRun || raw !== undefined) return { opens: false, clicks: false }
  return {
    opens: trackOpens ?? trackingEnabled ?? instance.trackOpens ?? false,
    clicks: trackClicks ?? trackingEnabled ?? instance.trackClicks ?? false,
  }
}

function mayHaveHtml({ texts, submission: { reference }, original }: ResolvedSubmission): boolean {
  return Boolean(texts.html) || (reference?.inline === true && original !== undefined)
}

/** What the request asks for is for its sender to complete; what the settings ask for, for the operator. */
function nowhere({ listId, trackOpens, trackClicks, trackingEnabled }: Submission): AppError {
  const isAsked = listId !== undefined || trackOpens || trackClicks || trackingEnabled
  return isAsked
    ? validationError([
        fieldError('baseUrl', 'is required, as the service has no address of its own'),
      ])
    : new AppError('internal', 'Tracking is switched on and the setting "serviceUrl" is not set', {
        code: 'MissingServiceURLSetup',
      })
}
