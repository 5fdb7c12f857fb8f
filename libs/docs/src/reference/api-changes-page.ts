import { release } from '@posthorn/config/release'
import { eventNames } from '@posthorn/contracts/events'
import { errorCodes } from '@posthorn/errors'
import { apiOperations } from './api-document.ts'
import { markdownPage, withoutLinks } from './markdown.ts'
import { readProjectFile } from './source-files.ts'

const introduction = `Changes of the REST API and of the events, newest first, from the changelog of the project. Version of
this document: ${release.version}.

- Added without a new version: operations, optional parameters and members of requests, members of responses and
  events, events, error codes. Programs ignore members and events that they do not know.
- A test compares each change of the code with the recorded contracts of operations, events and settings, so that no
  contract changes unnoticed.`

/**
 * Documentation page of the changes that concern API developers: entries of the changelog that name
 * the API.
 */
export function apiChangesPage(): string {
  return markdownPage(
    {
      title: 'API changes',
      description: 'Changes of operations, events and error codes by release.',
      order: 7,
    },
    [introduction, ...changeSections(readProjectFile('deploy/CHANGELOG.md'))],
  )
}

/** Sections of a changelog with the entries that concern API developers. */
export function changeSections(changelog: string): string[] {
  return changelog
    .split(/\n(?=#{2,3} )/)
    .slice(1)
    .flatMap((section) => {
      const [heading = '', ...lines] = section.split('\n')
      const entries = lines.join('\n').split(/\n(?=- |\n)/)
      const own = entries.map((entry) => entry.trim()).filter(isApiChange)
      const isRelease = heading.startsWith('## ')
      return isRelease || own.length > 0 ? [heading, own.map(withoutLinks).join('\n')] : []
    })
}

const names = new Set<string>([
  ...eventNames,
  ...errorCodes,
  ...apiOperations.map(({ operationId }) => operationId),
])

/** True for an entry of a changelog that names an operation, an event or an error code. */
function isApiChange(entry: string): boolean {
  if (!entry.startsWith('- ')) return false
  const quoted = [...entry.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
  return quoted.some((text) => names.has(text) || /(?:^|\s)\/(?:v1|admin\/api)\//.test(text))
}
