import type { MessageDetail, Reference } from '@posthorn/contracts'
import { applyReference, type ReferenceResult } from '@posthorn/mime'

export interface ReferringTo {
  original: MessageDetail | undefined
  reference: Reference | undefined
  /** Addresses of the writer's own. */
  own: readonly (string | null | undefined)[]
  locale?: string | null | undefined
  tz?: string | null | undefined
}

type Draft = ReferenceResult['draft']
/** As requests have it. */
type GivenDraft = { [K in keyof Draft]?: Draft[K] | undefined }

/** The draft with all that follows from the message it answers or passes on; as it is, where there is none. */
export function referTo(
  given: GivenDraft,
  { original, reference, ...how }: ReferringTo,
): ReferenceResult {
  const draft = present(given)
  if (!original || !reference) return { draft }
  const { action = 'reply', inline = false } = reference
  const { locale, tz } = how
  return applyReference(draft, original, {
    action,
    inline,
    own: how.own.filter((address) => typeof address === 'string'),
    ...(locale ? { locale } : {}),
    ...(tz ? { tz } : {}),
  })
}

function present({ to, cc, bcc, subject, text, html }: GivenDraft): Draft {
  const fields = Object.entries({ to, cc, bcc, subject, text, html })
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as Draft
}
