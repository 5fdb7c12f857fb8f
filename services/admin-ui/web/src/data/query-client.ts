import { QueryClient } from '@tanstack/react-query'
import { createCalls } from './calls.ts'
import { isTemporary } from './load-state.ts'
import { ProofRequests } from './step-up.ts'

/** Cache of all loaded data. Old data stays visible while newer data is loaded. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      retry: (failures, error) => failures < 2 && isTemporary(error),
      retryDelay: (failures) => 500 * 2 ** failures,
      // The pages show an unreachable server themselves. Browsers may be wrong about the network.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** Key of the signed-in session. Data null: no person is signed in. */
export const sessionKey = ['session'] as const

/** Requests of the server for proofs, which the dialogs of the shell answer. */
export const proofRequests = { factor: new ProofRequests(), mailReason: new ProofRequests() }

export const calls = createCalls({
  origin: globalThis.location.origin,
  fetch: (...args) => fetch(...args),
  onUnauthorized: () => void queryClient.invalidateQueries({ queryKey: sessionKey }),
  requestProof: (proof) => proofRequests[proof].request(),
})
