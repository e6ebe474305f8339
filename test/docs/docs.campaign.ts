/** What the pages of docs/ have for the shell, and their programs, are run as they stand there. */
import { PAGES, README } from "./pages.js";
import { runPages } from "./running.js";

runPages(PAGES.filter((page) => page !== README));
