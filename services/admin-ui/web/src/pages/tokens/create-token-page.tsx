import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { usePageQuery } from '../../routing/navigation.tsx'
import { NewTokenForm } from './new-token-form.tsx'

/** Page that creates an access token, with a grid for its rights. */
export function CreateTokenPage() {
  const [query] = usePageQuery()
  return (
    <PageBody lead="A token gives a program access to the API, or a mail client access to the mail proxies.">
      <Panel title="Token">
        <NewTokenForm account={query['account'] ?? ''} />
      </Panel>
    </PageBody>
  )
}
