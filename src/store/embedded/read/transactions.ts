/** Read transactions that are held for longer than one step, so that a walk over the store sees one published state. */
import type { RootDatabase, Transaction } from "lmdb";

export class ReadTransactions {
  readonly #taken = new Set<Transaction>();

  constructor(private readonly root: RootDatabase) {}

  /** Take one, until it is disposed of. `ensureOpen` throws when the store was closed since. */
  take() {
    // As `StoreDatabase.renew`.
    this.root.resetReadTxn();
    const transaction = this.root.useReadTransaction();
    this.#taken.add(transaction);
    return {
      transaction,
      ensureOpen: (): void => {
        if (!this.#taken.has(transaction)) throw new Error("the store was closed while it was being read");
      },
      [Symbol.dispose]: () => this.#giveBack(transaction),
    };
  }

  #giveBack(transaction: Transaction): void {
    if (this.#taken.delete(transaction)) transaction.done();
  }

  /** End all of them: an environment must not be closed under a transaction. */
  close(): void {
    for (const transaction of this.#taken) this.#giveBack(transaction);
  }
}
