import { QueryClient } from '@tanstack/react-query'
import { createCalls } from './calls.ts'
import { isTemporary } from './load-state.ts'
import { ProofRequests } from './step-up.ts'

/** Cache of all data that the pages load. Old data stays visible while newer data is loaded. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      retry: (failures, error) => failures < 2 && isTemporary(error),
      retryDelay: (failures) => 500 * 2 ** failures,
      // Calls are sent even if the browser says that there is no network, because browsers may be
      // wrong. The pages show an unreachable server themselves.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** Cache key of the signed-in session. Its data is null if no person is signed in. */
export const sessionKey = ['session'] as const

/**
 * Proofs (a factor, a reason to read mail) that the server has required. The dialogs of the
 * application ask for them.
 */
export const proofRequests = { factor: new ProofRequests(), mailReason: new ProofRequests() }

/** Functions with which all pages call the server. */
export const calls = createCalls({
  origin: globalThis.location.origin,
  fetch: (...args) => fetch(...args),
  onUnauthorized: () => void queryClient.invalidateQueries({ queryKey: sessionKey }),
  requestProof: (proof) => proofRequests[proof].request(),
})
