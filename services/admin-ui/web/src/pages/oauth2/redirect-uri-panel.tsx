import { CopyBox } from '../../kit/content/copy-box.tsx'
import { Panel } from '../../kit/content/panel.tsx'
import { AppLink } from '../../routing/navigation.tsx'

/** Panel with the redirect URI, which people register at the OAuth2 provider. */
export function RedirectUriPanel({ uri }: { uri: string }) {
  return (
    <Panel title="Redirect URI">
      {uri === '' ? (
        <p>
          The redirect URI needs the address of this installation:{' '}
          <AppLink to="/settings" query={{ query: 'serviceUrl' }}>
            set serviceUrl.
          </AppLink>
        </p>
      ) : (
        <>
          <p>Register this redirect URI at the provider. Without it, sign-ins fail.</p>
          <CopyBox text={uri} label="Copy the redirect URI" />
        </>
      )}
    </Panel>
  )
}
