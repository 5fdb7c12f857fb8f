import { apiChangesPage } from './api-changes-page.ts'
import { errorsPage } from './errors-page.ts'
import { eventsPage } from './events-page.ts'
import { metricsPage } from './metrics-page.ts'
import { operationPages } from './operation-pages.ts'
import { settingsPage } from './settings-page.ts'
import { variablesPage } from './variables-page.ts'

/**
 * Reference pages of the documentation, written from the code: Markdown text by path of the page.
 */
export function referencePages(): Map<string, string> {
  return new Map([
    ...operationPages(),
    ['reference/events.md', eventsPage()],
    ['reference/settings.md', settingsPage()],
    ['reference/variables.md', variablesPage()],
    ['reference/errors.md', errorsPage()],
    ['reference/metrics.md', metricsPage()],
    ['reference/api-changes.md', apiChangesPage()],
  ])
}
