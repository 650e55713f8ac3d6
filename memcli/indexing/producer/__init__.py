"""What every producer of generated memory is run by: sessions read back, a model asked, drafts written in batches."""
