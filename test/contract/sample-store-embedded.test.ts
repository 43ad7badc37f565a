import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import { type StoreUnderTest, sampleStoreContract } from './sample-store-contract.ts'

async function openEmbedded(): Promise<StoreUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-samples-'))
  const options = { folder, segmentBytes: 64 * 1024 }
  const first = await openSampleStore(options)
  let store = first
  return {
    store: first,
    async reopen() {
      await store.close()
      store = await openSampleStore(options)
      return store
    },
    async dispose() {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

sampleStoreContract('embedded', openEmbedded)
