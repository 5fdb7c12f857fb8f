import { lazy, Suspense, useEffect, useState } from 'react'
import { signOut, useProofRequest, useSession } from '../data/session.ts'
import { useAction } from '../data/use-load.ts'
import { Dialog } from '../kit/overlays/dialog.tsx'
import { ErrorBox } from '../kit/states/error-box.tsx'
import { Loaded } from '../kit/states/loaded.tsx'
import { PageOutlet } from '../routing/create-pages.tsx'
import { useAddress, useNavigate, useShownPath } from '../routing/navigation.tsx'
import { NavigationBar } from './navigation-bar.tsx'
import { PageHead, usePageChange } from './page-head.tsx'
import { isPublicPath } from './page-list.ts'
import { PermittedPage } from './permitted-page.tsx'
import css from './shell.module.css'
import { useShortcuts } from './use-shortcuts.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const HelpDialog = lazy(async () => ({ default: (await import('./help-dialog.tsx')).HelpDialog }))
const MailReasonDialog = lazy(async () => ({
  default: (await import('./mail-reason-dialog.tsx')).MailReasonDialog,
}))
const StepUpDialog = lazy(async () => ({
  default: (await import('./step-up-dialog.tsx')).StepUpDialog,
}))

/**
 * Frame of all administration pages. Without a session, pages that need one lead to the sign-in.
 */
export function Frame() {
  const path = useShownPath()
  usePageChange()
  return isPublicPath(path) ? <PublicFrame /> : <SignedInFrame />
}

function PublicFrame() {
  return (
    <main className={css['public']} tabIndex={-1}>
      <PageOutlet />
    </main>
  )
}

function SignedInFrame() {
  const session = useSession()
  if (session.data === undefined)
    return (
      <main className={css['public']} tabIndex={-1}>
        <Loaded load={session}>{() => null}</Loaded>
      </main>
    )
  return session.data === null ? <ToSignIn /> : <Shell />
}

function ToSignIn() {
  const address = useAddress()
  const navigate = useNavigate()
  useEffect(
    () => navigate({ to: '/sign-in', query: { return: address }, replace: true }),
    // Opens the sign-in page once, because the sign-in returns to the address at which the session
    // was missing.
    [],
  )
  return null
}

function Shell() {
  const [overlay, setOverlay] = useState<'palette' | 'help'>()
  const factorRequired = useProofRequest('factor')
  const reasonRequired = useProofRequest('mailReason')
  const openPalette = () => setOverlay('palette')
  const openHelp = () => setOverlay('help')
  const close = () => setOverlay(undefined)
  const end = useAction(signOut)
  const leave = () => end.run(undefined)
  useShortcuts({ openPalette, openHelp })
  return (
    <div className={css['shell']}>
      <a className={css['skip']} href="#content">
        Skip to the content
      </a>
      <NavigationBar />
      <div className={css['content']}>
        <PageHead openPalette={openPalette} signOut={leave} />
        <main id="content" className={css['main']} tabIndex={-1}>
          <PermittedPage />
        </main>
      </div>
      <Dialog title="Sign out" isOpen={end.error !== null} onClose={end.reset}>
        <ErrorBox error={end.error} />
      </Dialog>
      <Suspense>
        {overlay === 'palette' && <Palette onClose={close} openHelp={openHelp} signOut={leave} />}
        {overlay === 'help' && <HelpDialog onClose={close} />}
        {reasonRequired && <MailReasonDialog />}
        {factorRequired && <StepUpDialog />}
      </Suspense>
    </div>
  )
}
