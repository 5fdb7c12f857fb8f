import { useRights, useSignedIn } from '../data/session.ts'
import { ProblemBox } from '../kit/states/problem-box.tsx'
import { PageOutlet } from '../routing/create-pages.tsx'
import { useShownPath } from '../routing/navigation.tsx'
import { requiredAction } from './page-list.ts'

/**
 * Content of the current page. A page that creates an entry of a list is replaced by a message if
 * the role of the signed-in person lacks the right: links to the page are hidden, but an address
 * can be typed.
 */
export function PermittedPage() {
  const may = useRights()
  const { person } = useSignedIn()
  const action = requiredAction(useShownPath())
  if (action === undefined || may(action)) return <PageOutlet />
  return (
    <ProblemBox title="Not permitted">
      The role {person.role} lacks the right to use this page. An owner can change the role on the
      page People.
    </ProblemBox>
  )
}
