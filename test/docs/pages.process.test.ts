/** The README's commands are run as they stand there; the campaign `docs` runs all other pages. */
import { README } from "./pages.js";
import { runPages } from "./running.js";

runPages([README]);
