print("imgbake")
