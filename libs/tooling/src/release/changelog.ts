const unreleased = 'Unreleased'

interface Section {
  /** Heading of a section in the changelog of the project, such as `1.0.0 (2026-12-01)`. */
  heading: string
  body: string
}

/** Splits a changelog into its sections, at headings of the second level. */
function sectionsOf(changelog: string): Section[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const end = text.indexOf('\n')
      return { heading: text.slice(0, end), body: text.slice(end).trim() }
    })
}

/**
 * Text of the changelog section for a version, or for `Unreleased`. Undefined if the section does
 * not exist.
 */
export function sectionOf(changelog: string, name: string): string | undefined {
  return sectionsOf(changelog).find(({ heading }) => heading.split(' ')[0] === name)?.body
}

/** Versions that have a section in the changelog, newest first. */
export function versionsOf(changelog: string): string[] {
  return sectionsOf(changelog)
    .map(({ heading }) => heading.split(' ')[0] ?? '')
    .filter((name) => name !== unreleased)
}

/**
 * Moves the text of the changelog section `Unreleased` into a section for the new version and its
 * date (YYYY-MM-DD).
 */
export function addVersion(changelog: string, version: string, date: string): string {
  const heading = `## ${unreleased}\n`
  if (!changelog.includes(heading)) throw new Error(`the changelog has no section ${unreleased}`)
  return changelog.replace(heading, `${heading}\n## ${version} (${date})\n`)
}

/** Checks the changelog of a commit that is about to be released. Returns the faults. */
export function changelogFaults(changelog: string): string[] {
  const text = sectionOf(changelog, unreleased) ?? ''
  return text === '' ? [`deploy/CHANGELOG.md: the section ${unreleased} is empty`] : []
}

/** Checks the changelog of a commit that was released as a version. Returns the faults. */
export function releasedChangelogFaults(changelog: string, version: string): string[] {
  const text = sectionOf(changelog, version)
  const first = versionsOf(changelog)[0]
  return [
    ...(text === undefined || text === ''
      ? [`deploy/CHANGELOG.md: version ${version} has no section with text`]
      : []),
    ...(text !== undefined && first !== version
      ? [`deploy/CHANGELOG.md: the newest version is ${first}, not ${version}`]
      : []),
    ...(sectionOf(changelog, unreleased)
      ? [`deploy/CHANGELOG.md: the section ${unreleased} has text that is part of no release`]
      : []),
  ]
}
