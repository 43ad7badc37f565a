import { PlainSampleStore } from '../support/plain-sample-store.ts'
import { sampleStoreContract } from './sample-store-contract.ts'

sampleStoreContract('plain', async () => {
  const store = new PlainSampleStore()
  return { store, reopen: async () => store, dispose: () => store.close() }
})
