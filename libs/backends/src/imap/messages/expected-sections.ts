import type { MessagePartsRequest, Section } from '../../mail-session.ts'
import { sectionsOf } from './sections.ts'

/** Maximum total bytes of the body sections that are fetched together with one message. */
const maxTotalBytes = 64 * 1024
/** Length in bytes to whose multiples the requested length of a body section is rounded up. */
const unit = 1024

interface Layout {
  sections: Section[]
  count: number
}

/**
 * Body sections to fetch together with further messages: the sections that were requested of more
 * than half of the messages in `requests`. The length of a section is the size of the longest part
 * plus 25 %. Returns no sections if the messages differ, or if the sections are longer than 64 KiB.
 */
export function expectedSections(requests: readonly MessagePartsRequest[]): Section[] {
  const layouts = new Map<string, Layout>()
  const byMessage = Map.groupBy(requests, ({ uid }) => uid)
  for (const parts of byMessage.values()) {
    const sections = mergeSections(
      parts.flatMap(({ structure, wanted }) => lengthsOf(structure, wanted)),
    )
    if (sections.length === 0 || totalOf(sections) > maxTotalBytes) continue
    const id = sections.map(({ key }) => key).join(' ')
    const layout = layouts.get(id)
    layouts.set(id, layout ? widen(layout, sections) : { sections, count: 1 })
  }
  const common = [...layouts.values()].find(({ count }) => count > byMessage.size / 2)
  return common && totalOf(common.sections) <= maxTotalBytes ? common.sections : []
}

/**
 * Body sections that contain the wanted MIME parts of a message. Their lengths suffice for parts of
 * the reported size, and do not exceed the requested lengths.
 */
function lengthsOf(...[structure, wanted]: Parameters<typeof sectionsOf>): Section[] {
  return sectionsOf(structure, wanted).map(({ key, maxLength, bodyPart: { size = 0 } }) => ({
    key,
    maxLength: Math.min(maxLength, Math.ceil((size * 1.25 + 1) / unit) * unit),
  }))
}

/**
 * Body sections of messages in the order of their keys. Sections with the same key are merged into
 * the longest.
 */
function mergeSections(sections: readonly Section[]): Section[] {
  const lengths = new Map<string, number>()
  for (const { key, maxLength } of sections)
    lengths.set(key, Math.max(maxLength, lengths.get(key) ?? 0))
  return [...lengths]
    .map(([key, maxLength]) => ({ key, maxLength }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

function widen({ sections, count }: Layout, others: readonly Section[]): Layout {
  const widened = sections.map(({ key, maxLength }, at) => ({
    key,
    maxLength: Math.max(maxLength, others[at]?.maxLength ?? 0),
  }))
  return { sections: widened, count: count + 1 }
}

function totalOf(sections: readonly Section[]): number {
  return sections.reduce((sum, { maxLength }) => sum + maxLength, 0)
}
